import { CLOSING, FAULTS } from './table.ts';

/** The page docs/faults.md, made of the matrix. */
export function faultsPage(): string {
  const rows = Object.entries(FAULTS);
  const fixed = rows.filter(([, row]) => row.fixed).length;
  const table = rows.map(
    ([name, { fault, asserted, fixed: always }]) =>
      `| ${name} | ${fault} | ${asserted} | ${always ? 'always' : '`--all`'} |`,
  );
  return `# Faults

<!-- Made of hack/e2e/faults/table.ts by npm run generate; do not edit. -->

What is done to an install on a real cluster, and what was asserted then. \`hack/test faults\` does ${fixed} of the
${rows.length} to it, and so does every \`hack/test\`; \`hack/test faults --all\` does all of them, those that need the
cluster for themselves one after the other at the end. Both end with the line \`faults <rows> survived <n>\`.

After every row the same is asserted:

${CLOSING.map((line) => `- ${line}`).join('\n')}

The two rows that name a test of another suite run that test; they have no cluster to assert this on.

| row | fault | asserted as well | runs |
|---|---|---|---|
${table.join('\n')}
`;
}
