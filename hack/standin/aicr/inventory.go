package main

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

const inventoryFile = "checksums.txt"

// bundlePaths are the roots a bundle may hold; anything else in the folder is foreign.
var bundlePaths = regexp.MustCompile(`^(\d{3}-[^/]+/|data/|attestation/|(deploy\.sh|README\.md|recipe\.yaml|checksums\.txt|bundle-info\.yaml|UPGRADING\.md)$)`)

// listFiles walks a bundle; folders that hold nothing are named with a slash at the end.
func listFiles(dir string) ([]string, error) {
	var names []string
	err := filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		relative, err := filepath.Rel(dir, name)
		names = append(names, filepath.ToSlash(relative))
		return err
	})
	slices.Sort(names)
	return names, err
}

func hashFile(name string) (string, error) {
	data, err := os.ReadFile(name)
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:]), err
}

// sealInventory writes checksums.txt over everything in the folder and returns how many files it names. A file
// that no bundle has is refused, at the end of the work, as upstream does.
func sealInventory(dir string) (int, error) {
	names, err := listFiles(dir)
	if err != nil {
		return 0, failWith(internal, "failed to list the bundle", err)
	}
	names = slices.DeleteFunc(names, func(name string) bool { return name == inventoryFile })
	var out bytes.Buffer
	for _, name := range names {
		if !bundlePaths.MatchString(name) {
			return 0, fail(invalid, "bundle contains an unexpected file: %q", name)
		}
		sum, err := hashFile(filepath.Join(dir, name))
		if err != nil {
			return 0, failWith(internal, "failed to hash "+name, err)
		}
		fmt.Fprintf(&out, "%s  %s\n", sum, name)
	}
	return len(names), writeFile(filepath.Join(dir, inventoryFile), out.Bytes(), 0o600)
}

// checkInventory compares a folder with its checksums.txt, both ways, and returns how many files agree.
func checkInventory(dir string) (int, error) {
	data, err := os.ReadFile(filepath.Join(dir, inventoryFile))
	if err != nil {
		return 0, fmt.Errorf("%s not found", inventoryFile)
	}
	expected := map[string]string{}
	lines := bufio.NewScanner(bytes.NewReader(data))
	for lines.Scan() {
		sum, name, ok := strings.Cut(lines.Text(), "  ")
		if !ok || len(sum) != sha256.Size*2 {
			return 0, fail(invalid, "malformed line in %s: %q", inventoryFile, lines.Text())
		}
		expected[name] = sum
	}
	names, err := listFiles(dir)
	if err != nil {
		return 0, failWith(internal, "failed to list the bundle", err)
	}
	for _, name := range names {
		if name == inventoryFile || strings.HasPrefix(name, "attestation/") {
			continue
		}
		want, ok := expected[name]
		if !ok {
			return 0, fail(invalid, "bundle contains an unexpected file: %q", name)
		}
		sum, err := hashFile(filepath.Join(dir, name))
		if err != nil {
			return 0, failWith(internal, "failed to hash "+name, err)
		}
		if sum != want {
			return 0, fail(invalid, "checksum mismatch for %q", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(expected)) {
		if !slices.Contains(names, name) {
			return 0, fail(invalid, "bundle is missing expected file: %q", name)
		}
	}
	return len(expected), nil
}
