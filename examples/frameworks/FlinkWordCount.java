// Licensed under the Apache License, Version 2.0; see LICENSE.

import java.nio.charset.StandardCharsets;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.serialization.SimpleStringSchema;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.connector.base.DeliveryGuarantee;
import org.apache.flink.connector.kafka.sink.KafkaRecordSerializationSchema;
import org.apache.flink.connector.kafka.sink.KafkaSink;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.Collector;

/** Word counts with Flink, on a cluster in this process, with transactions. */
public class FlinkWordCount {
    public static void main(String[] arguments) throws Exception {
        String servers = System.getenv("BOOTSTRAP_SERVERS");
        StreamExecutionEnvironment environment = StreamExecutionEnvironment.getExecutionEnvironment();
        environment.setParallelism(1);
        environment.enableCheckpointing(500);

        KafkaSource<String> lines = KafkaSource.<String>builder()
            .setBootstrapServers(servers)
            .setTopics(System.getenv("LINES"))
            .setGroupId("flink")
            .setStartingOffsets(OffsetsInitializer.earliest())
            .setValueOnlyDeserializer(new SimpleStringSchema())
            .build();
        KafkaSink<Tuple2<String, Integer>> counts = KafkaSink.<Tuple2<String, Integer>>builder()
            .setBootstrapServers(servers)
            .setDeliveryGuarantee(DeliveryGuarantee.EXACTLY_ONCE)
            .setTransactionalIdPrefix("flink")
            .setProperty("transaction.timeout.ms", "60000")
            .setRecordSerializer(KafkaRecordSerializationSchema.<Tuple2<String, Integer>>builder()
                .setTopic(System.getenv("COUNTS"))
                .setKeySerializationSchema(
                    (Tuple2<String, Integer> counted) -> counted.f0.getBytes(StandardCharsets.UTF_8))
                .setValueSerializationSchema(
                    (Tuple2<String, Integer> counted) -> counted.f1.toString().getBytes(StandardCharsets.UTF_8))
                .build())
            .build();

        environment.fromSource(lines, WatermarkStrategy.noWatermarks(), "lines")
            .flatMap((String line, Collector<Tuple2<String, Integer>> out) -> {
                for (String word : line.split(" ")) {
                    out.collect(Tuple2.of(word, 1));
                }
            })
            .returns(Types.TUPLE(Types.STRING, Types.INT))
            .keyBy(counted -> counted.f0)
            .sum(1)
            .sinkTo(counts);
        environment.execute("words");
    }
}
