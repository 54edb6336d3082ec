# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Word counts with Spark's connector for Kafka, from a topic and back into one."""

from __future__ import annotations

import os
import sys

from pyspark.sql import SparkSession
from pyspark.sql import functions as f

servers = os.environ["BOOTSTRAP_SERVERS"]


def main() -> None:
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    spark = SparkSession.builder.master("local[2]").config("spark.jars", os.environ["JARS"]).config(
        "spark.ui.enabled", "false").config("spark.sql.shuffle.partitions", "2").getOrCreate()
    lines = spark.readStream.format("kafka").option("kafka.bootstrap.servers", servers).option(
        "subscribe", os.environ["LINES"]).option("startingOffsets", "earliest").load()
    words = lines.select(f.explode(f.split(f.col("value").cast("string"), " ")).alias("key"))
    counts = words.groupBy("key").count().select("key", f.col("count").cast("string").alias("value"))
    query = counts.writeStream.outputMode("update").format("kafka").option(
        "kafka.bootstrap.servers", servers).option("topic", os.environ["COUNTS"]).option(
        "checkpointLocation", os.environ["STATE"]).trigger(availableNow=True).start()
    query.awaitTermination()


if __name__ == "__main__":
    main()
