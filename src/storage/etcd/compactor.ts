import type { Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import { pause } from '../../base/pause.ts'
import type { Revision } from '../store.ts'
import type { EtcdConnection } from './etcd-connection.ts'
import { compactRequest, putRequest, rangeRequest, txnRequest } from './messages.ts'
import { COMPACT, TXN } from './methods.ts'

export interface CompactorConfig {
  readonly intervalMs: number
  readonly timeoutMs: number
}

export interface CompactorDeps {
  readonly connection: EtcdConnection
  readonly clock: Clock
  readonly log: Logger
}

/** kube-apiserver's key, outside of every prefix: the servers of one etcd agree by it on who compacts. */
const KEY = Buffer.from('compact_rev_key')

const VERSION = 0
const EQUAL = 0

/**
 * Compacts etcd at each interval, to where it was one interval before. Of several servers the one that writes the key first does it:
 * the key's version says how often it was written.
 */
export async function runCompactor({ intervalMs, timeoutMs }: CompactorConfig, deps: CompactorDeps, signal: AbortSignal): Promise<void> {
  const { connection, clock, log } = deps
  let version = 0
  let noted: Revision = 0
  for (;;) {
    await pause(clock, intervalMs, signal)
    if (signal.aborted) return
    try {
      await round()
    } catch (error) {
      log.warn('etcd could not be compacted', { error })
    }
  }

  async function round(): Promise<void> {
    const op = { range: undefined, put: undefined, delete: undefined }
    const none = new Uint8Array(0)
    const request = txnRequest.of({
      compare: [
        { result: EQUAL, target: VERSION, key: KEY, version, createRevision: 0, modRevision: 0, value: none, lease: 0, rangeEnd: none },
      ],
      success: [{ ...op, put: putRequest.of({ key: KEY, value: Buffer.from(String(noted)) }) }],
      failure: [{ ...op, range: rangeRequest.of({ key: KEY }) }],
    })
    const { header, succeeded, responses } = await connection.call(TXN, request, { timeoutMs, repeatable: false })
    const before = noted
    noted = header?.revision ?? 0
    if (!succeeded) {
      version = responses[0]?.range?.kvs[0]?.version ?? 0
      return
    }
    version++
    if (before > 0) await connection.call(COMPACT, compactRequest.of({ revision: before }), { timeoutMs, repeatable: false })
  }
}
