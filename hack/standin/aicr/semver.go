package main

import (
	"regexp"
	"strconv"
)

// release is a version as far as two of them can be ordered.
type release struct {
	numbers    [3]int
	prerelease string
}

var releasePattern = regexp.MustCompile(`^v?(\d+)\.(\d+)(?:\.(\d+))?(?:-([0-9A-Za-z.-]+))?(?:\+.*)?$`)

func parseRelease(text string) (release, bool) {
	match := releasePattern.FindStringSubmatch(text)
	if match == nil {
		return release{}, false
	}
	var r release
	for i := range r.numbers {
		r.numbers[i], _ = strconv.Atoi(match[i+1]) // an absent patch number is 0
	}
	r.prerelease = match[4]
	return r, true
}

// compare is negative when a is the older one. A prerelease is older than its release.
func (a release) compare(b release) int {
	for i := range a.numbers {
		if a.numbers[i] != b.numbers[i] {
			return a.numbers[i] - b.numbers[i]
		}
	}
	switch {
	case a.prerelease == b.prerelease:
		return 0
	case a.prerelease == "":
		return 1
	case b.prerelease == "":
		return -1
	case a.prerelease < b.prerelease:
		return -1
	}
	return 1
}

// older tells whether version a comes before version b; false when either is no version.
func older(a, b string) bool {
	x, okX := parseRelease(a)
	y, okY := parseRelease(b)
	return okX && okY && x.compare(y) < 0
}

// atLeast tells whether the stand-in plays this version of aicr or a newer one. A prerelease knows what its
// release knows.
func atLeast(since string) bool {
	mine, ok := parseRelease(version)
	if !ok {
		return true
	}
	mine.prerelease = ""
	other, _ := parseRelease(since)
	return mine.compare(other) >= 0
}
