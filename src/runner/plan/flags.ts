/** Splits a legacy `*Flags` string where a shell would, but without quoting or globs. */
export const splitFlags = (flags: string): readonly string[] => flags.match(/[^ \t\r\n\f\v]+/g) ?? [];
