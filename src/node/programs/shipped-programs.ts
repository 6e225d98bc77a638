import type { ImagePrograms, Program } from './program.ts'

/** Programs that every container has, by name: what `/bin/NAME` is. Each is loaded when it is first run. */
export const SHIPPED_COMMANDS: Readonly<Record<string, () => Promise<Program>>> = {}

/** Of these, those that play a container's main process too, where its image has no program. */
export const SHIPPED_MAINS: ReadonlySet<string> = new Set()

/** Images that come with the cluster, by patterns as in `images`; those of the caller go first. Their programs load what they need when they are run. */
export const SHIPPED_IMAGES: ImagePrograms = {}

const FOLDERS = new Set(['', '/bin', '/usr/bin', '/sbin', '/usr/sbin', '/usr/local/bin'])

/** The shipped command that a word means; undefined: none. */
export function shippedName(word: string): string | undefined {
  const slash = word.lastIndexOf('/')
  const name = word.slice(slash + 1)
  return FOLDERS.has(word.slice(0, Math.max(slash, 0))) && Object.hasOwn(SHIPPED_COMMANDS, name) ? name : undefined
}
