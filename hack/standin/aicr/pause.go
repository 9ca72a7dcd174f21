package main

import (
	"context"
	"log/slog"
	"os"
	"strings"
	"time"
)

// pause makes one command wait before it does anything, so that a test can meet it in the middle of a step:
// STANDIN_PAUSE=recipe waits until it is stopped, STANDIN_PAUSE=recipe=45s for so long.
func pause(ctx context.Context, command string) error {
	name, duration, limited := strings.Cut(os.Getenv("STANDIN_PAUSE"), "=")
	if name == "" || name != command {
		return nil
	}
	slog.Info("pausing", "command", command, "for", duration)
	var over <-chan time.Time
	if limited {
		length, err := time.ParseDuration(duration)
		if err != nil {
			return failWith(invalid, "STANDIN_PAUSE", err)
		}
		over = time.After(length)
	}
	select {
	case <-over:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
