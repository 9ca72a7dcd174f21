package main

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/urfave/cli/v3"
)

type measurement struct {
	Type     string    `json:"type"`
	Subtypes []subtype `json:"subtypes"`
}

type subtype struct {
	Subtype string         `json:"subtype"`
	Data    map[string]any `json:"data"`
}

type snapshot struct {
	Kind         string            `json:"kind"`
	APIVersion   string            `json:"apiVersion"`
	Metadata     map[string]string `json:"metadata"`
	Measurements []measurement     `json:"measurements"`
}

func snapshotCommand() *cli.Command {
	return &cli.Command{
		Name:  "snapshot",
		Usage: "Capture what the cluster is.",
		Flags: []cli.Flag{
			text("output", "file, stdout by default", "o"), text("kubeconfig", "kubeconfig", "k"),
			&cli.StringFlag{Name: "format", Aliases: []string{"t"}, Value: "yaml", Usage: "yaml or json"},
			&cli.StringFlag{Name: "namespace", Aliases: []string{"n"}, Value: "default", Usage: "of the agent"},
		},
		Action: func(ctx context.Context, cmd *cli.Command) error {
			captured, err := captureSnapshot(ctx, cmd.String("kubeconfig"))
			if err != nil {
				return err
			}
			data, err := encodeAs(cmd.String("format"), captured)
			if err != nil {
				return failWith(internal, "failed to serialize snapshot", err)
			}
			return writeOutput(cmd.String("output"), data)
		},
	}
}

// captureSnapshot asks the API server; upstream starts an agent in a pod for it.
func captureSnapshot(ctx context.Context, kubeconfig string) (*snapshot, error) {
	slog.Info("capturing snapshot")
	out, err := kubectl(ctx, kubeconfig, "version", "-o", "json")
	if err != nil {
		return nil, err
	}
	var versions struct {
		ServerVersion struct {
			GitVersion string `json:"gitVersion"`
		} `json:"serverVersion"`
	}
	if err := json.Unmarshal(out, &versions); err != nil {
		return nil, failWith(internal, "kubectl's answer cannot be read", err)
	}
	return &snapshot{
		Kind: "Snapshot", APIVersion: recipeHeader(),
		Metadata: map[string]string{"timestamp": time.Now().UTC().Format(time.RFC3339), "version": version},
		Measurements: []measurement{{Type: "K8s", Subtypes: []subtype{
			{Subtype: "server", Data: map[string]any{"version": versions.ServerVersion.GitVersion}}}}},
	}, nil
}

func (s *snapshot) serverVersion() string {
	for _, m := range s.Measurements {
		for _, sub := range m.Subtypes {
			if m.Type == "K8s" && sub.Subtype == "server" {
				text, _ := sub.Data["version"].(string) // another type reads as not captured
				return text
			}
		}
	}
	return ""
}

// kubectl stands for upstream's own client: it reads the same kubeconfig, and its complaints become the codes that
// upstream has for them.
func kubectl(ctx context.Context, kubeconfig string, args ...string) ([]byte, error) {
	if kubeconfig != "" {
		if _, err := os.Stat(kubeconfig); err != nil {
			return nil, failWith(invalid, "failed to build kube config", err)
		}
		args = append([]string{"--kubeconfig", kubeconfig}, args...)
	}
	out, err := exec.CommandContext(ctx, "kubectl", args...).Output()
	if err == nil {
		return out, nil
	}
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return nil, failWith(internal, "the stand-in asks the cluster through kubectl", err)
	}
	said := strings.TrimSpace(string(exit.Stderr))
	switch {
	case strings.Contains(said, "orbidden"), strings.Contains(said, "nauthorized"):
		return nil, fail(unauthorized, "the Kubernetes API server refuses: %s", said)
	case strings.Contains(said, "refused"), strings.Contains(said, "no such host"), strings.Contains(said, "timeout"):
		return nil, fail(unavailable, "cannot reach Kubernetes API server\n\nCheck your network connectivity:\n"+
			"  - Is the cluster endpoint right?\n  - Is the way to it open?: %s", said)
	}
	return nil, fail(internal, "kubectl %s: %s", strings.Join(args, " "), said)
}
