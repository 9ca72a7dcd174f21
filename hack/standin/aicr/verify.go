package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"

	"github.com/urfave/cli/v3"
)

var trustLevels = []string{"unknown", "unverified", "attested", "verified"}

type verdict struct {
	TrustLevel       string   `json:"trustLevel"`
	ChecksumsPassed  bool     `json:"checksumsPassed"`
	ChecksumFiles    int      `json:"checksumFiles"`
	BundleAttested   bool     `json:"bundleAttested"`
	BinaryAttested   bool     `json:"binaryAttested"`
	IdentityPinned   bool     `json:"identityPinned"`
	HasExternalData  bool     `json:"hasExternalData"`
	TrustReason      string   `json:"trustReason"`
	Errors           []string `json:"errors,omitempty"`
	complaint        error
	belowWantedLevel string
}

func verifyCommand() *cli.Command {
	return &cli.Command{
		Name:      "verify",
		Usage:     "Check a bundle against its checksums.",
		ArgsUsage: "<bundle-dir>",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "min-trust-level", Value: "max", Usage: "max, verified, attested, unverified or unknown"},
			&cli.StringFlag{Name: "format", Value: "text", Usage: "text or json"},
		},
		Action: runVerify,
	}
}

func runVerify(_ context.Context, cmd *cli.Command) error {
	if cmd.Args().First() == "" {
		return fail(invalid, "bundle directory is required: aicr verify <bundle-dir>")
	}
	dir, err := filepath.Abs(cmd.Args().First())
	if err != nil {
		return failWith(internal, "no working folder", err)
	}
	slog.Info("verifying bundle", "dir", dir)
	level := cmd.String("min-trust-level")
	if level != "max" && !slices.Contains(trustLevels, level) {
		return fail(invalid, "invalid trust level %q: must be one of unknown, unverified, attested, verified", level)
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return fail(notFound, "bundle directory not found: %s", dir)
	}
	v := inspectBundle(dir)
	// max asks for the best that can be had: an unsigned bundle passes.
	if v.complaint == nil && level != "max" && slices.Index(trustLevels, v.TrustLevel) < slices.Index(trustLevels, level) {
		v.belowWantedLevel = level
	}
	if cmd.String("format") == "json" {
		data, err := encodeJSON(v)
		if err != nil {
			return failWith(internal, "failed to encode the verdict", err)
		}
		if err := writeOutput("", data); err != nil {
			return err
		}
	} else {
		v.print()
	}
	if v.complaint != nil {
		return failWith(unauthorized, "bundle verification failed", v.complaint)
	}
	if v.belowWantedLevel != "" {
		return fail(invalid, "trust level %q does not meet minimum %q", v.TrustLevel, v.belowWantedLevel)
	}
	return nil
}

func inspectBundle(dir string) verdict {
	count, err := checkInventory(dir)
	if err != nil {
		return verdict{TrustLevel: "unknown", TrustReason: "checksum inventory verification failed",
			Errors: []string{err.Error()}, complaint: err}
	}
	return verdict{TrustLevel: "unverified", ChecksumsPassed: true, ChecksumFiles: count,
		TrustReason: "the checksums agree, and nothing is signed (bundle created without --attest)"}
}

func (v verdict) print() {
	if v.ChecksumsPassed {
		fmt.Printf("  ✓ Checksums verified (%d files)\n", v.ChecksumFiles)
	} else {
		fmt.Println("  ✗ Checksum verification failed")
	}
	fmt.Printf("  Trust level: %s\n    ↳ %s\n\n", v.TrustLevel, v.TrustReason)
	for _, line := range v.Errors {
		fmt.Printf("Details:\n  - %s\n\n", line)
	}
	if v.complaint == nil && v.belowWantedLevel == "" {
		fmt.Println("Bundle verification: PASSED")
		return
	}
	fmt.Println("Bundle verification: FAILED")
	if v.belowWantedLevel != "" {
		fmt.Printf("  trust level %q does not meet minimum %q\n", v.TrustLevel, v.belowWantedLevel)
	}
}
