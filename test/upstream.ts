import { existsSync } from 'node:fs'
import path from 'node:path'

/** The answers recorded from Kubernetes; not part of the project, and not everywhere. */
export const upstream = path.join(import.meta.dirname, '..', '..', 'shared', 'upstream')

/** For `test(name, { skip })`: false, or why what needs the recordings cannot run. */
export const withoutUpstream: string | false = existsSync(upstream) ? false : '../shared/upstream is not here'
