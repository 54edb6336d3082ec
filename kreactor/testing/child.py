# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The process of ``Broker(process=True)``: a broker with a control port, which runs until its standard input
ends.

The first line of standard input has the broker's arguments. The first line of standard output has the address
of the control port, or the error of the start. Nothing else is written to standard output.
"""

from __future__ import annotations

import json
import sys

from kreactor.jdk.floor import Floor
from kreactor.jdk.thread_dump import thread_dumps


def main() -> None:
    """Serve until the parent closes standard input, which its end does, too."""
    # Standard output is for the parent.
    with thread_dumps(descriptor=2):
        _serve()


def _serve() -> None:
    # The parent ends this process by closing its standard input. A signal to the process group is ignored.
    Floor.signal.signal(Floor.signal.SIGINT, Floor.signal.SIG_IGN)
    line = sys.stdin.readline()
    if not line:
        return
    told = json.loads(line)

    from kreactor.testing.broker import Broker
    from kreactor.testing.control import Control
    from kreactor.testing.control_routes import error_to_json
    from kreactor.testing.mock_time import MockTime

    arguments = told["arguments"]
    if told["now_ms"] is not None:
        arguments["time"] = MockTime(current_time_ms=told["now_ms"])
    broker = Broker(**arguments)
    try:
        try:
            broker.start()
            control = Control(broker, token=told["token"])
        except Exception as e:
            _print_json(error_to_json(e))
            return
        try:
            tls = broker._tls
            _print_json({"control_port": control.port, "tls": None if tls is None else {
                "ca": tls.ca, "keystore": tls.keystore, "certificate": tls.certificate, "key": tls.key,
                "client_keystore": tls.client_keystore()}})
            sys.stdin.read()
        finally:
            control.close()
    finally:
        broker.close()


def _print_json(told: object) -> None:
    print(json.dumps(told), flush=True)


if __name__ == "__main__":
    main()
