// Command aicr is a stand-in for NVIDIA's aicr in tests: the same commands, flags, exit codes, file layouts and
// marker lines, over a catalogue of tiny charts that need no network. What it does is decided by its arguments,
// the recipe and the data pack alone; only when it does it can be put off from outside, see pause. Its version, and
// with it what that version of upstream knows, is set at link time.
package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/urfave/cli/v3"
)

// version is the release without its v.
var version = "1.2.0"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	err := rootCommand().Run(ctx, os.Args)
	interrupted := ctx.Err() != nil
	stop()
	if err == nil {
		return
	}
	if interrupted {
		err = failWith(canceled, "interrupted", err)
	}
	code := exitCode(err)
	slog.Error("command failed", "error", err, "exitCode", code)
	os.Exit(code)
}

func rootCommand() *cli.Command {
	commands := []*cli.Command{
		snapshotCommand(), recipeCommand(), bundleCommand(), verifyCommand(), validateCommand(), evidenceCommand(),
	}
	// The command came with v0.22; before it, asking for its help fails.
	if atLeast("0.22.0") {
		commands = append(commands, upgradeCheckCommand())
	}
	return &cli.Command{
		Name:            "aicr",
		Usage:           "stand-in for the AICR CLI",
		Version:         fmt.Sprintf("%s (commit: stand-in, date: 1970-01-01T00:00:00Z)", version),
		HideHelpCommand: true,
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "debug", Usage: "log more", Sources: cli.EnvVars("AICR_DEBUG")},
			&cli.BoolFlag{Name: "log-json", Usage: "log one JSON object a line", Sources: cli.EnvVars("AICR_LOG_JSON")},
		},
		// Logging is set up here, as upstream does: a mistake in the flags themselves is reported before it.
		Before: func(ctx context.Context, cmd *cli.Command) (context.Context, error) {
			setUpLogging(cmd.Bool("debug"), cmd.Bool("log-json"))
			return ctx, pause(ctx, cmd.Args().First())
		},
		Commands: commands,
	}
}

// text, list and flag declare a command's flags in one line each.
func text(name, usage string, aliases ...string) cli.Flag {
	return &cli.StringFlag{Name: name, Aliases: aliases, Usage: usage}
}

func list(name, usage string, aliases ...string) cli.Flag {
	return &cli.StringSliceFlag{Name: name, Aliases: aliases, Usage: usage}
}

func flag(name, usage string) cli.Flag {
	return &cli.BoolFlag{Name: name, Usage: usage}
}
