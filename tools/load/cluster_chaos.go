// Licensed under the Apache License, Version 2.0; see LICENSE.

// The worker of tools/load/cluster_chaos for franz-go: writes and reads until the files of stops are there.
//
//	go mod init chaos && go get github.com/twmb/franz-go@v1.18.1 && go build -o franz-go cluster_chaos.go
//	FRANZ_GO=./franz-go tools/load/cluster_chaos --client franz-go
package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func main() {
	bootstrap, folder := strings.Split(os.Args[1], ","), os.Args[2]
	open := func(name string) *os.File {
		file, err := os.OpenFile(filepath.Join(folder, name), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		if err != nil {
			panic(err)
		}
		return file
	}
	acked, read := open("acked"), open("read")
	common := []kgo.Opt{kgo.SeedBrokers(bootstrap...), kgo.MetadataMaxAge(2 * time.Second),
		kgo.MetadataMinAge(100 * time.Millisecond)}

	var reader sync.WaitGroup
	reader.Add(1)
	go func() {
		defer reader.Done()
		consumer, err := kgo.NewClient(append(common, kgo.ConsumerGroup("readers"), kgo.ConsumeTopics("chaos"),
			kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()), kgo.SessionTimeout(6*time.Second))...)
		if err != nil {
			panic(err)
		}
		defer consumer.Close()
		for !exists(filepath.Join(folder, "stop-reading")) {
			ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
			fetches := consumer.PollFetches(ctx)
			cancel()
			fetches.EachRecord(func(record *kgo.Record) { fmt.Fprintln(read, string(record.Value)) })
		}
	}()

	producer, err := kgo.NewClient(append(common, kgo.RequiredAcks(kgo.AllISRAcks()),
		kgo.RecordPartitioner(kgo.ManualPartitioner()))...)
	if err != nil {
		panic(err)
	}
	for number := 0; !exists(filepath.Join(folder, "stop-writing")); number++ {
		record := &kgo.Record{Topic: "chaos", Partition: int32(number % 6), Value: []byte(strconv.Itoa(number))}
		producer.Produce(context.Background(), record, func(record *kgo.Record, err error) {
			if err == nil {
				fmt.Fprintln(acked, string(record.Value))
			}
		})
		time.Sleep(3 * time.Millisecond)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	_ = producer.Flush(ctx)
	producer.Close()
	reader.Wait()
}
