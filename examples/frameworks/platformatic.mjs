// Licensed under the Apache License, Version 2.0; see LICENSE.
// Word counts with @platformatic/kafka: each word of a line leads to a record with its count so far.
import { Consumer, MessagesStreamModes, Producer, stringDeserializers, stringSerializers } from "@platformatic/kafka";

const { BOOTSTRAP_SERVERS, LINES, COUNTS } = process.env;
const bootstrapBrokers = [BOOTSTRAP_SERVERS];
const counts = new Map();
const producer = new Producer({ clientId: "words", bootstrapBrokers, serializers: stringSerializers });
const consumer = new Consumer({ groupId: "platformatic", clientId: "words", bootstrapBrokers,
  deserializers: stringDeserializers });
const stream = await consumer.consume({ topics: [LINES], mode: MessagesStreamModes.EARLIEST, autocommit: true });
process.on("SIGTERM", async () => {
  await stream.close();
  await consumer.close();
  await producer.close();
});
for await (const { value } of stream) {
  const messages = value.split(" ").map((word) => {
    counts.set(word, (counts.get(word) ?? 0) + 1);
    return { topic: COUNTS, key: word, value: String(counts.get(word)) };
  });
  await producer.send({ messages });
}
