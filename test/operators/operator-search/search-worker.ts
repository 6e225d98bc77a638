/**
 * Searches known mistakes in a thread of its own. The test runner follows each promise of its own thread, which doubles the cost of a
 * search.
 */
import { parentPort } from 'node:worker_threads'
import { searchOperator } from '../../../src/testing/operator-search/search-operator.ts'
import { KNOWN_MISTAKES } from './known-mistakes.ts'

/** A search for a mistake by its id. */
export interface KnownSearch {
  readonly id: string
  readonly mended: boolean
}

/** What is found, each as `HARM, FAULT: SYMPTOM`. */
async function search({ id, mended }: KnownSearch): Promise<string[]> {
  const mistake = KNOWN_MISTAKES.find((known) => known.id === id)
  if (mistake === undefined) throw new Error(`no mistake ${id}`)
  const { operator, install, sample } = mistake
  const { findings } = await searchOperator({ operator: operator(mended), install, samples: [sample], explore: true })
  return findings.flatMap(({ harm, fault, symptoms }) => symptoms.map(({ text }) => `${harm}, ${fault?.kind ?? 'no fault'}: ${text}`))
}

parentPort?.on('message', async (asked: KnownSearch) => parentPort?.postMessage(await search(asked)))
