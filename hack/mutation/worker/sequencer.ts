import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Environment variable that is set in every other worker. */
export const BACKWARDS = 'NVIDIA_AICR_MUTATION_BACKWARDS';

/**
 * Test files by name, in every other worker backwards: two workers that meet in the middle have each made half of
 * the renders.
 */
export default class MeetingSequencer extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = [...files].sort((a, b) => (a.moduleId < b.moduleId ? -1 : 1));
    return process.env[BACKWARDS] === undefined ? sorted : sorted.reverse();
  }
}
