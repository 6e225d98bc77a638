import { existsSync } from 'node:fs'
import path from 'node:path'

const given = process.env.BOWSPRIT_RECORDINGS
const shared = given === undefined || given === 'seed' ? path.join(import.meta.dirname, '..', '..', 'shared', 'upstream') : given

/**
 * Whether all recordings are available; otherwise the seed in the repository is used. `BOWSPRIT_RECORDINGS` is their folder, or `seed` to
 * use the seed in any case.
 */
export const allRecorded = given !== 'seed' && existsSync(shared)

/** The recorded responses of Kubernetes: all of them, or the seed that `scripts/select-recordings.ts` chose. */
export const upstream = allRecorded ? shared : path.join(import.meta.dirname, 'recordings')
