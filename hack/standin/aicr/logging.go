package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
)

// lineHandler prints a record as upstream's default logger does: prefix, message, attributes after a colon. A
// message or a value may hold line breaks, so that one record can be several lines.
type lineHandler struct {
	out    io.Writer
	level  slog.Level
	prefix string
}

func (h lineHandler) Enabled(_ context.Context, level slog.Level) bool { return level >= h.level }

func (h lineHandler) Handle(_ context.Context, record slog.Record) error {
	var attributes []string
	record.Attrs(func(a slog.Attr) bool {
		attributes = append(attributes, fmt.Sprintf("%s=%v", a.Key, a.Value))
		return true
	})
	line := "[" + h.prefix + "] " + record.Message
	if len(attributes) > 0 {
		line += ": " + strings.Join(attributes, " ")
	}
	_, err := fmt.Fprintln(h.out, line)
	return err
}

// No code here logs with bound attributes or groups.
func (h lineHandler) WithAttrs([]slog.Attr) slog.Handler { return h }
func (h lineHandler) WithGroup(string) slog.Handler      { return h }

func setUpLogging(debug, asJSON bool) {
	level := slog.LevelInfo
	if debug {
		level = slog.LevelDebug
	}
	if asJSON {
		handler := slog.NewJSONHandler(os.Stderr, &slog.HandlerOptions{Level: level})
		slog.SetDefault(slog.New(handler).With("module", "aicr", "version", version))
		return
	}
	prefix := os.Getenv("AICR_LOG_PREFIX")
	if prefix == "" {
		prefix = "cli"
	}
	slog.SetDefault(slog.New(lineHandler{out: os.Stderr, level: level, prefix: prefix}))
}
