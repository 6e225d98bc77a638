import { causeOf, type FailedHistory } from './finding.ts'
import type { WorkStep } from './work-step.ts'

/** Runs a workload, undisturbed and with faults of this kind (undefined: without), and yields what went wrong. */
export type Retry = (steps: readonly WorkStep[], kind: string | undefined) => AsyncIterable<FailedHistory>

/** Leaves out one step after the other as long as the same still goes wrong. Resolves with the shortest history that was found. */
export async function shrink(failed: FailedHistory, retry: Retry): Promise<FailedHistory> {
  for (const i of failed.steps.keys()) {
    const shorter = await find(failed, failed.steps.toSpliced(i, 1), retry)
    if (shorter !== undefined) return shrink(shorter, retry)
  }
  return failed
}

/** The first history of these steps with the same cause and the same symptom. */
async function find(failed: FailedHistory, steps: readonly WorkStep[], retry: Retry): Promise<FailedHistory | undefined> {
  if (steps.length === 0) return undefined
  for await (const found of retry(steps, failed.fault?.kind))
    if (causeOf(found) === causeOf(failed) && found.symptoms[0].text === failed.symptoms[0].text) return found
  return undefined
}
