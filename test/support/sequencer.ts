import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Whether a file is small, with which vitest would start last, and waits for many leases to end. */
function isLong({ moduleId }: TestSpecification): boolean {
  return /\/test\/(?:contract|property)\//.test(moduleId);
}

/** Starts with what takes longest, so that nothing is left to wait for in the end. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- sorts no array in place
    const bySize = await super.sort(files);
    return [...bySize.filter(isLong), ...bySize.filter((file) => !isLong(file))];
  }
}
