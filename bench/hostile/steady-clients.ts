import { seededRandom } from '../../src/base/random.ts'
import type { Api } from '../api.ts'
import { wait } from '../measured-cluster.ts'

const NAMESPACES = 8
const NAMES_OF_A_CLIENT = 4
/** A client waits up to this long between two requests. */
const PAUSE_MS = 200

export const steadyNamespaces = Array.from({ length: NAMESPACES }, (_, i) => `steady-${i}`)
export const collectionOf = (namespace: string) => `/api/v1/namespaces/${namespace}/configmaps`

export interface Tally {
  requests: number
  /** Milliseconds of each GET. */
  readonly gets: number[]
  /** What a client found to be otherwise than it had left it, and unexpected answers. */
  readonly faults: string[]
}

/** The object by its path, and the value that it must have; undefined: it was deleted. */
export type Expected = Map<string, string | undefined>

/** One client that writes and reads objects of its own, and compares what it reads with what it wrote. Ends with the signal. */
export async function steadyClient(api: Api, client: number, seed: number, tally: Tally, signal: AbortSignal): Promise<Expected> {
  const random = seededRandom(seed + client)
  const collection = collectionOf(steadyNamespaces[client % NAMESPACES] ?? '')
  const expected: Expected = new Map()
  const expect = (what: string, status: number, ...allowed: number[]) => {
    if (!allowed.includes(status)) tally.faults.push(`${what}: ${status}`)
  }
  const act = async (name: string, value: string) => {
    const at = `${collection}/${name}`
    const known = expected.get(at)
    const body = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { value } })
    const what = random.int(10)
    if (known === undefined) {
      expect(`POST ${at}`, (await api.request('POST', collection, body)).status, 201)
      expected.set(at, value)
    } else if (what < 3) {
      expect(`PUT ${at}`, (await api.request('PUT', at, body)).status, 200)
      expected.set(at, value)
    } else if (what === 3) {
      expect(`DELETE ${at}`, (await api.request('DELETE', at)).status, 200)
      expected.set(at, undefined)
    } else {
      const { status, body: found, totalMs } = await api.request('GET', at)
      tally.gets.push(totalMs)
      expect(`GET ${at}`, status, 200)
      if (!found.includes(`"value":"${known}"`)) tally.faults.push(`GET ${at}: not ${known}`)
    }
  }
  for (let i = 0; !signal.aborted; i++) {
    await act(`c${client}-${random.int(NAMES_OF_A_CLIENT)}`, `v${i}-${random.suffix(8)}`)
    tally.requests++
    await wait(random.int(PAUSE_MS))
  }
  return expected
}
