// Licensed under the Apache License, Version 2.0; see LICENSE.
// Does with Kafka's KafkaProducer what tools/peers/producer_wire asks for, step by step.

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;

import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Each line is a step and its arguments between tabs; each answer is "done", or what was raised. */
class ProducerWire {
    static KafkaProducer<byte[], byte[]> producer;
    static final List<Future<?>> sent = new ArrayList<>();

    static byte[] decoded(String text) {
        return text.equals("-") ? null : Base64.getDecoder().decode(text);
    }

    static Map<String, Object> pairs(String[] words, int from) {
        Map<String, Object> found = new HashMap<>();
        for (String word : Arrays.copyOfRange(words, from, words.length)) {
            int at = word.indexOf('=');
            found.put(word.substring(0, at), word.substring(at + 1));
        }
        return found;
    }

    static void topic(String[] words) throws Exception {
        Map<String, String> configs = new HashMap<>();
        pairs(words, 4).forEach((name, value) -> configs.put(name, (String) value));
        NewTopic topic = new NewTopic(words[2], Integer.parseInt(words[3]), (short) 1).configs(configs);
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", words[1], "client.id", "setup"))) {
            admin.createTopics(List.of(topic)).all().get();
        }
    }

    static Future<?> send(String[] words) {
        List<Header> headers = new ArrayList<>();
        for (String word : Arrays.copyOfRange(words, 6, words.length)) {
            int at = word.indexOf('=');
            headers.add(new RecordHeader(word.substring(0, at), decoded(word.substring(at + 1))));
        }
        return producer.send(new ProducerRecord<>(
            words[1], words[2].equals("-") ? null : Integer.valueOf(words[2]), Long.valueOf(words[3]),
            decoded(words[4]), decoded(words[5]), headers));
    }

    static void run(String[] words) throws Exception {
        switch (words[0]) {
            case "topic": topic(words); break;
            case "open":
                producer = new KafkaProducer<>(
                    pairs(words, 1), new ByteArraySerializer(), new ByteArraySerializer());
                break;
            case "send": send(words).get(); break;
            case "queue": sent.add(send(words)); break;
            case "flush": producer.flush(); break;
            case "wait":
                for (Future<?> each : sent) {
                    each.get();
                }
                sent.clear();
                break;
            case "init": producer.initTransactions(); break;
            case "begin": producer.beginTransaction(); break;
            case "commit": producer.commitTransaction(); break;
            case "abort": producer.abortTransaction(); break;
            case "offsets":
                producer.sendOffsetsToTransaction(
                    Map.of(new TopicPartition(words[2], Integer.parseInt(words[3])),
                        new OffsetAndMetadata(Long.parseLong(words[4]))),
                    new ConsumerGroupMetadata(words[1]));
                break;
            case "close": producer.close(); break;
            default: throw new IllegalArgumentException(words[0]);
        }
    }

    public static void main(String[] args) throws Exception {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            String answer = "done";
            try {
                run(line.split("\t", -1));
            } catch (Exception e) {
                answer = e.toString().replace('\n', ' ');
            }
            System.out.println(answer);
            System.out.flush();
        }
        System.exit(0);
    }
}
