package main

import (
	"errors"
	"fmt"
)

// code classifies a failure; upstream prints it in brackets and maps it to the exit code.
type code string

const (
	invalid      code = "INVALID_REQUEST"
	conflict     code = "CONFLICT"
	notFound     code = "NOT_FOUND"
	unauthorized code = "UNAUTHORIZED"
	unavailable  code = "SERVICE_UNAVAILABLE"
	rateLimited  code = "RATE_LIMIT_EXCEEDED"
	internal     code = "INTERNAL"
	canceled     code = "CANCELED"
)

var exitCodes = map[code]int{
	invalid: 2, conflict: 2, notFound: 3, unauthorized: 4, unavailable: 6, rateLimited: 7, internal: 8, canceled: 9,
}

type failure struct {
	code    code
	message string
	cause   error
}

func (f *failure) Error() string {
	if f.cause == nil {
		return fmt.Sprintf("[%s] %s", f.code, f.message)
	}
	return fmt.Sprintf("[%s] %s: %s", f.code, f.message, f.cause)
}

func (f *failure) Unwrap() error { return f.cause }

func fail(c code, format string, args ...any) error {
	return &failure{code: c, message: fmt.Sprintf(format, args...)}
}

func failWith(c code, message string, cause error) error {
	return &failure{code: c, message: message, cause: cause}
}

// exitCode is that of the outermost failure; an error without a code is 1, such as the flag parser's.
func exitCode(err error) int {
	var f *failure
	if errors.As(err, &f) {
		return exitCodes[f.code]
	}
	return 1
}
