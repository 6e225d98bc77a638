/**
 * The program that `kill.test.ts` kills: it writes as fast as it can and prints each acknowledged write as a line: `key revision number`.
 * Arguments: folder, number of writers, seed of the first number.
 */
import { systemClock } from '../../base/clock.ts'
import { openSqliteStore } from './sqlite-store.ts'

const [folder = '', writers = '1', seed = '0'] = process.argv.slice(2)
const store = await openSqliteStore({ folder, retention: { keepMs: 1e9, maxRevisions: 500, maxBytes: 1 << 20 } }, { clock: systemClock })
let number = Number(seed)

/** Puts, replaces and deletes its own key for ever. */
async function write(key: string): Promise<void> {
  for (;;) {
    const mine = number++
    const current = await store.get(key)
    const gone = current !== undefined && mine % 7 === 0
    const value = Buffer.from(`${mine} `.repeat(1 + (mine % 97)))
    const result = gone
      ? await store.commit({ key, expect: { revision: current.revision }, value: undefined })
      : await store.commit({ key, expect: current === undefined ? { absent: true } : { revision: current.revision }, value })
    if (result.kind === 'stored') process.stdout.write(`${key} ${result.revision} ${gone ? '-' : mine}\n`)
  }
}

await Promise.all(Array.from({ length: Number(writers) }, (_, i) => write(`/k/${i}`)))
