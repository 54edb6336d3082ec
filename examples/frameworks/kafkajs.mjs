// Licensed under the Apache License, Version 2.0; see LICENSE.
// Word counts with kafkajs: each word of a line leads to a record with its count so far.
import kafkajs from "kafkajs";

const { Kafka, logLevel } = kafkajs;
const { BOOTSTRAP_SERVERS, LINES, COUNTS } = process.env;
const kafka = new Kafka({ brokers: [BOOTSTRAP_SERVERS], clientId: "words", logLevel: logLevel.WARN });
const counts = new Map();
const producer = kafka.producer({ idempotent: true });
const consumer = kafka.consumer({ groupId: "kafkajs" });

await producer.connect();
await consumer.connect();
await consumer.subscribe({ topics: [LINES], fromBeginning: true });
await consumer.run({
  eachBatch: async ({ batch }) => {
    const messages = [];
    for (const { value } of batch.messages) {
      for (const word of value.toString().split(" ")) {
        counts.set(word, (counts.get(word) ?? 0) + 1);
        messages.push({ key: word, value: String(counts.get(word)) });
      }
    }
    await producer.send({ topic: COUNTS, messages });
  },
});
process.on("SIGTERM", async () => {
  await consumer.disconnect();
  await producer.disconnect();
  process.exit(0);
});
