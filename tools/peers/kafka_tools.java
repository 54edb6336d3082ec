// Licensed under the Apache License, Version 2.0; see LICENSE.
// Runs tools of Kafka one after another in one JVM, for tools/peers/kafka_tools, which says which.

import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;

import org.apache.kafka.common.utils.Exit;

/** Each line is a class, what it reads, and its arguments, in base64; each answer what it printed, likewise. */
class KafkaTools {
    static class Ended extends RuntimeException {
        Ended() {
            super(null, null, false, false);
        }
    }

    static ByteArrayOutputStream printed;
    static int status;
    /** What a tool had printed when it ended for the first time: some catch that, and print and end again. */
    static byte[] printedAtEnd;

    static void end(int withStatus) {
        if (printedAtEnd == null) {
            System.out.flush();
            printedAtEnd = printed.toByteArray();
            status = withStatus;
        }
        throw new Ended();
    }

    static String decoded(String text) {
        return new String(Base64.getDecoder().decode(text), StandardCharsets.UTF_8);
    }

    public static void main(String[] args) throws Exception {
        PrintStream answers = System.out;
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
        Exit.setExitProcedure((withStatus, message) -> end(withStatus));
        Exit.setHaltProcedure((withStatus, message) -> end(withStatus));
        List<Runnable> hooks = new ArrayList<>();
        Exit.setShutdownHookAdder((name, runnable) -> hooks.add(runnable));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            String[] words = Arrays.stream(line.split(" ", -1)).map(KafkaTools::decoded).toArray(String[]::new);
            printed = new ByteArrayOutputStream();
            printedAtEnd = null;
            status = 0;
            PrintStream out = new PrintStream(printed, true, "UTF-8");
            InputStream given = new ByteArrayInputStream(words[1].getBytes(StandardCharsets.UTF_8));
            System.setIn(given);
            System.setOut(out);
            System.setErr(out);
            try {
                // Scala's Console keeps what standard output was when it was made, for each thread.
                String[] rest = Arrays.copyOfRange(words, 2, words.length);
                scala.Console$.MODULE$.withOut(out, new scala.runtime.AbstractFunction0<Object>() {
                    public Object apply() {
                        return scala.Console$.MODULE$.withErr(out, new scala.runtime.AbstractFunction0<Object>() {
                            public Object apply() {
                                try {
                                    Class.forName(words[0]).getMethod("main", String[].class)
                                        .invoke(null, (Object) rest);
                                } catch (InvocationTargetException e) {
                                    throw new RuntimeException(e.getCause());
                                } catch (ReflectiveOperationException e) {
                                    throw new RuntimeException(e);
                                }
                                return null;
                            }
                        });
                    }
                });
            } catch (RuntimeException e) {
                if (printedAtEnd == null) {
                    Throwable cause = e;
                    while (cause.getCause() != null) {
                        cause = cause.getCause();
                    }
                    out.println("raised " + cause);
                    status = 1;
                }
            }
            hooks.forEach(Runnable::run);
            hooks.clear();
            out.flush();
            answers.println(status + " " + Base64.getEncoder().encodeToString(
                printedAtEnd == null ? printed.toByteArray() : printedAtEnd));
            answers.flush();
        }
        System.exit(0);
    }
}
