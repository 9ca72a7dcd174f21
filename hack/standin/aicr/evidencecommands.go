package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v3"
)

func tokenFlag() cli.Flag {
	return &cli.StringFlag{Name: "identity-token", Usage: "OIDC token to sign with", Sources: cli.EnvVars("COSIGN_IDENTITY_TOKEN")}
}

func evidenceCommand() *cli.Command {
	return &cli.Command{
		Name:  "evidence",
		Usage: "Handle evidence bundles.",
		Commands: []*cli.Command{
			{
				Name: "publish", Usage: "Push an evidence bundle and write its pointer.", ArgsUsage: "<bundle-dir>",
				Flags: []cli.Flag{
					text("push", "OCI reference to push to"), flag("no-sign", "push it unsigned"), tokenFlag(),
					flag("plain-http", "to a registry without TLS"), flag("insecure-tls", "to a registry with an unknown authority"),
					flag("oidc-device-flow", "log in on another device"), flag("yes", "do not ask"),
				},
				Action: runPublish,
			},
			{
				Name: "sign", Usage: "Sign an evidence bundle that was pushed unsigned.", ArgsUsage: "<pointer>",
				Flags:  []cli.Flag{tokenFlag(), flag("relocate", "from another registry"), flag("plain-http", "without TLS"), flag("insecure-tls", "unknown authority"), flag("yes", "do not ask")},
				Action: runSign,
			},
			{
				Name: "digest", Usage: "Print a recipe's digest.",
				Flags: []cli.Flag{&cli.StringFlag{Name: "recipe", Aliases: []string{"r"}, Required: true, Usage: "recipe file"}},
				Action: func(_ context.Context, cmd *cli.Command) error {
					r, err := readRecipe(cmd.String("recipe"))
					if err != nil {
						return err
					}
					data, err := encodeYAML(r)
					if err != nil {
						return failWith(internal, "failed to encode the recipe", err)
					}
					fmt.Println(digestOf(data))
					return nil
				},
			},
			{
				Name: "verify", Usage: "Verify an evidence bundle.", ArgsUsage: "<dir>",
				Flags:  []cli.Flag{&cli.StringFlag{Name: "format", Aliases: []string{"t"}, Value: "text", Usage: "text or json"}},
				Action: runEvidenceVerify,
			},
		},
	}
}

func runPublish(ctx context.Context, cmd *cli.Command) error {
	if cmd.Args().First() == "" {
		return fail(invalid, "bundle directory is required: aicr evidence publish <bundle-dir> --push <ref>")
	}
	if cmd.String("push") == "" {
		return fail(invalid, "--push <oci-ref> is required")
	}
	return publish(ctx, publishOptions{dir: cmd.Args().First(), push: cmd.String("push"), noSign: cmd.Bool("no-sign"),
		plainHTTP: cmd.Bool("plain-http"), insecureTLS: cmd.Bool("insecure-tls"), token: cmd.String("identity-token")})
}

func runSign(_ context.Context, cmd *cli.Command) error {
	if _, err := os.Stat(cmd.Args().First()); err != nil {
		return failWith(notFound, "pointer not found", err)
	}
	return signWith(cmd.String("identity-token"))
}

// signWith ends as upstream does without a way to Sigstore; the stand-in cannot sign.
func signWith(token string) error {
	if token == "" {
		return fail(unavailable, "interactive OIDC authentication failed: oauth2.sigstore.dev cannot be reached")
	}
	return fail(internal, "failed to initialize TUF client for signing config fetch: tuf-repo-cdn.sigstore.dev cannot be reached")
}

func runEvidenceVerify(_ context.Context, cmd *cli.Command) error {
	input := cmd.Args().First()
	if filepath.Base(input) == "pointer.yaml" {
		input = filepath.Dir(input)
	}
	dir, s, err := readEvidence(input)
	if err != nil {
		return err
	}
	// 0 good, 1 a phase failed, 2 broken; the process says 2 for both of the latter.
	exit, text := 0, "bundle valid but unsigned — pending signature"
	for _, proof := range s.Predicate.Phases {
		if proof.Failed > 0 {
			exit, text = 1, "a phase failed"
		}
	}
	if err := checkEvidence(dir, s); err != nil {
		exit, text = 2, err.Error()
	}
	if cmd.String("format") == "json" {
		data, err := encodeJSON(map[string]any{"input": "dir", "recipeName": s.Predicate.Recipe["name"],
			"predicate": s.Predicate, "pending": exit == 0, "exit": exit})
		if err != nil {
			return failWith(internal, "failed to encode the verdict", err)
		}
		if err := writeOutput("", data); err != nil {
			return err
		}
	} else {
		fmt.Printf("## Evidence verification — %s\n\n**Verdict:** %s (exit %d)\n", s.Predicate.Recipe["name"], text, exit)
	}
	if exit > 0 {
		return fail(invalid, "evidence verification failed: %s", text)
	}
	return nil
}
