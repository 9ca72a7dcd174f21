package main

import "fmt"

type upgradeStep struct {
	ID          string `json:"id"`
	Description string `json:"description"`
	Reason      string `json:"reason,omitempty"`
}

// record is what somebody found out about moving a component into a range of versions.
type record struct {
	Component    string        `json:"component"`
	From         string        `json:"from"`
	Floor        string        `json:"floor"`
	Ceiling      string        `json:"ceiling"`
	Verdict      string        `json:"verdict"`
	Summary      string        `json:"summary"`
	Precondition string        `json:"precondition"`
	Steps        []upgradeStep `json:"steps"`
}

func readRecords() ([]record, error) {
	var document struct {
		Records []record `json:"records"`
	}
	data, err := catalogFiles.ReadFile("catalog/records.yaml")
	if err == nil {
		err = decode(data, &document)
	}
	if err != nil {
		return nil, failWith(internal, "the stand-in's own records are broken", err)
	}
	return document.Records, nil
}

// assess gives one component's move its verdict, by upstream's rules: only what was recorded as safe passes; a
// move that nobody assessed fails as unknown, however small it is.
func assess(records []record, name, before, after string) upgradedChange {
	c := upgradedChange{Component: name, Change: "version", From: before, To: after, FailsRun: true}
	a, okA := parseRelease(before)
	b, okB := parseRelease(after)
	if !okA || !okB {
		c.Verdict, c.Reason, c.Notes = "unversioned", "not-comparable", "versions are not comparable"
		c.Explanation = fmt.Sprintf("version %q is not comparable to %q; pin a semver version on both sides", before, after)
		return c
	}
	c.Breaking = a.numbers[0] != b.numbers[0] || (a.numbers[0] == 0 && a.numbers[1] != b.numbers[1])
	if b.compare(a) < 0 {
		c.Downgrade = true
		c.Verdict, c.Reason, c.Notes = "unknown", "downgrade", "downgrade, unassessable"
		c.Explanation = fmt.Sprintf("downgrade from %s to %s: records describe forward moves only", before, after)
		return c
	}
	known := false
	for _, r := range records {
		if r.Component != name {
			continue
		}
		known = true
		if !older(before, r.Floor) || older(after, r.Floor) {
			continue
		}
		return c.by(r)
	}
	c.Verdict, c.Reason, c.Notes = "unknown", "no-record", "no record"
	if known {
		c.Reason, c.Notes = "no-boundary-crossed", "record exists, no boundary here"
	}
	if c.Breaking {
		c.Notes += ", breaking boundary"
	}
	c.Explanation = fmt.Sprintf("nothing assesses the move from %s to %s; this is not a pass", before, after)
	return c
}

// by applies the record whose boundary the move crosses.
func (c upgradedChange) by(r record) upgradedChange {
	switch {
	case older(c.From, r.From):
		c.Verdict, c.Reason, c.StoppedAt = "blocked", "undefined-origin", r.Floor
		c.Explanation = fmt.Sprintf("no record describes an upgrade starting from %s. The earliest recorded starting point "+
			"is %s, and no record assesses the move from %s to it", c.From, r.From, c.From)
	case older(r.Ceiling, c.To):
		c.Verdict, c.Reason, c.StoppedAt = "blocked", "beyond-record-ceiling", r.Ceiling
		c.Explanation = fmt.Sprintf("the records assess only as far as %s, and %s lands past that", r.Ceiling, c.To)
	default:
		c.Verdict, c.Reason, c.Notes = r.Verdict, "recorded", "recorded"
		c.Summary, c.Precondition, c.Steps = r.Summary, r.Precondition, r.Steps
		c.Explanation = fmt.Sprintf("recorded %s: the record covering %s describes the move from %s to %s", r.Verdict, r.Floor, c.From, c.To)
		c.FailsRun = r.Verdict != "safe"
		return c
	}
	c.Notes = "stops at " + c.StoppedAt
	return c
}
