import { defineConfig } from 'vitest/config';

/**
 * The tests by which mutants of TypeScript are judged: those of single parts that start no program and no server. A
 * mutant is judged in a fraction of a second by them, and in half a minute by the others.
 */
export default defineConfig({
  test: {
    include: [
      'test/schema/*.test.ts',
      'test/chart/*.test.ts',
      'test/contract/*.test.ts',
      'test/lock/{claim,clock,decide}.test.ts',
      'test/releases/{claims,downgrade,folders,foreign,installed,judgement,leftovers}.test.ts',
      'test/releases/{pending,record,timeout,version}.test.ts',
      'test/results/{budget,layout,slices,text}.test.ts',
      'test/runner-core/{deadline,end,end-whole,history,lines,mask,spec,status,status-whole,summary,termination,text}.test.ts',
      'test/steps/{plan,plan-arguments,plan-host,plan-proof,plan-whole}.test.ts',
      'test/steps/{checksums,credentials,credentials-refused,failure,markers,reference,verdict}.test.ts',
      'test/steps/{upgradecheck-report,upgradecheck-verdict}.test.ts',
      'test/validate/{ctrf,shorten,summary,verdict}.test.ts',
    ],
    testTimeout: 60_000,
  },
});
