import { createHmac, timingSafeEqual } from 'node:crypto'
import { lstatSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { makeFolder } from '../../base/make-folder.ts'
import type { Random } from '../../base/random.ts'
import { StoreError } from '../store.ts'

/** The file in the store's folder that holds its key. Readable by its owner alone: a process that can read it can read the store itself. */
const KEY_FILE = 'store.key'
const KEY = /^[0-9a-f]{64}$/

/** The authentication scheme of the store's upgrade, in the manner of Tor's SAFECOOKIE: the key proves itself and never travels. */
export const STORE_SCHEME = 'Bowsprit-Key'

/** A key and the file it was read from. */
export interface StoreKey {
  readonly file: string
  readonly key: string
}

/** The challenge of a server: the client must prove that it can read `file`. `nonce` is used for one connection. */
export interface StoreChallenge {
  readonly file: string
  readonly nonce: string
}

/** The key of a store's folder, created if it does not exist. `random` must be the system's. */
export function openStoreKey(folder: string, random: Random): StoreKey {
  const file = path.join(path.resolve(folder), KEY_FILE)
  if (lstatSync(file, { throwIfNoEntry: false }) !== undefined) return { file, key: readKey(file) }
  makeFolder(path.dirname(file), 0o700)
  const key = `${random.uuid()}${random.uuid()}`.replaceAll('-', '')
  writeFileSync(file, key, { mode: 0o600, flag: 'wx' })
  return { file, key }
}

/** The proof that belongs to a challenge. */
export const proofOf = (key: string, nonce: string): string => createHmac('sha256', key).update(nonce).digest('hex')

export function isProof(proof: string, key: string, nonce: string): boolean {
  const [given, wanted] = [Buffer.from(proof), Buffer.from(proofOf(key, nonce))]
  return given.byteLength === wanted.byteLength && timingSafeEqual(given, wanted)
}

export const challengeHeader = ({ file, nonce }: StoreChallenge): string =>
  `${STORE_SCHEME} file="${encodeURIComponent(file)}", nonce="${nonce}"`

/** Undefined for a header that is no challenge of a store. */
export function readChallenge(header: string): StoreChallenge | undefined {
  const [, file, nonce] = /^Bowsprit-Key file="([^"]*)", nonce="([0-9a-f-]{1,64})"$/.exec(header) ?? []
  if (file === undefined || nonce === undefined) return undefined
  try {
    return { file: decodeURIComponent(file), nonce }
  } catch {
    return undefined
  }
}

/**
 * The proof for a challenge. A malicious server could name any file: so only a file with the right name, owner, mode and content is used,
 * and no byte of it is sent.
 * @throws {StoreError} `permission`
 */
export const answerChallenge = ({ file, nonce }: StoreChallenge): string => proofOf(readKey(file), nonce)

function readKey(file: string): string {
  const refuse = (why: string, cause?: unknown): never => {
    throw new StoreError(
      'permission',
      `the key of the store, ${file}, ${why}: run this process as the user who started the etcd, on the same machine, or use client certificates`,
      { cause },
    )
  }
  if (path.basename(file) !== KEY_FILE || !path.isAbsolute(file)) refuse(`is not a file named ${KEY_FILE}`)
  try {
    const found = lstatSync(file)
    if (!found.isFile()) refuse('is not a regular file')
    // Windows has neither users' numbers nor modes.
    const user = process.getuid?.()
    if (user !== undefined && (found.uid !== user || (found.mode & 0o077) !== 0)) refuse('must belong to this user and have mode 600')
    const key = readFileSync(file, 'utf8').trim()
    return KEY.test(key) ? key : refuse('does not hold a key')
  } catch (error) {
    if (error instanceof StoreError) throw error
    return refuse('cannot be read', error)
  }
}
