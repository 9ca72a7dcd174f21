package main

import "time"

// ctrfReport is a report in the Common Test Report Format, https://ctrf.io.
type ctrfReport struct {
	ReportFormat string      `json:"reportFormat"`
	SpecVersion  string      `json:"specVersion"`
	Timestamp    string      `json:"timestamp"`
	GeneratedBy  string      `json:"generatedBy"`
	Results      ctrfResults `json:"results"`
}

type ctrfResults struct {
	Tool    map[string]string `json:"tool"`
	Summary ctrfSummary       `json:"summary"`
	Tests   []ctrfTest        `json:"tests"`
}

type ctrfSummary struct {
	Tests   int   `json:"tests"`
	Passed  int   `json:"passed"`
	Failed  int   `json:"failed"`
	Skipped int   `json:"skipped"`
	Pending int   `json:"pending"`
	Other   int   `json:"other"`
	Start   int64 `json:"start"`
	Stop    int64 `json:"stop"`
}

type ctrfTest struct {
	Name     string   `json:"name"`
	Status   string   `json:"status"`
	Duration int64    `json:"duration"`
	Suite    []string `json:"suite"`
	Stdout   []string `json:"stdout,omitempty"`
	Message  string   `json:"message,omitempty"`
}

func newReport() *ctrfReport {
	now := time.Now().UTC()
	return &ctrfReport{
		ReportFormat: "CTRF", SpecVersion: "0.0.1", Timestamp: now.Format(time.RFC3339), GeneratedBy: "aicr",
		Results: ctrfResults{
			Tool:    map[string]string{"name": "aicr", "version": version},
			Summary: ctrfSummary{Start: now.UnixMilli(), Stop: now.UnixMilli()},
			Tests:   []ctrfTest{},
		},
	}
}

func (r *ctrfReport) add(t ctrfTest) {
	r.Results.Tests = append(r.Results.Tests, t)
	s := &r.Results.Summary
	s.Tests++
	s.Stop = time.Now().UnixMilli()
	switch t.Status {
	case "passed":
		s.Passed++
	case "failed":
		s.Failed++
	case "skipped":
		s.Skipped++
	default:
		s.Other++
	}
}

// failing: a check that came to no result counts as failed.
func (r *ctrfReport) failing() bool {
	return r.Results.Summary.Failed+r.Results.Summary.Other > 0
}

// redacted is the report as an evidence bundle shows it by default: without what a check printed.
func (r *ctrfReport) redacted() *ctrfReport {
	out := *r
	out.Results.Tests = nil
	for _, t := range r.Results.Tests {
		t.Stdout, t.Message = nil, ""
		out.Results.Tests = append(out.Results.Tests, t)
	}
	return &out
}
