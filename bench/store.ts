/**
 * Durable puts per second of the SQLite store at 1 and 128 writers, and what they cost the event loop.
 * `node bench/store.ts [seconds] [value bytes]`
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { systemClock } from '../src/base/clock.ts'
import { openMemoryStore } from '../src/storage/memory/memory-store.ts'
import { openSqliteStore } from '../src/storage/sqlite/sqlite-store.ts'
import type { Revision, Store } from '../src/storage/store.ts'

const seconds = Number(process.argv[2] ?? 3)
const sizeBytes = Number(process.argv[3] ?? 1024)
const KEYS = 10_000

async function measure(name: string, store: Store, writers: number): Promise<void> {
  const revisions = new Map((await store.range('/bench/')).entries.map((entry) => [entry.key, entry.revision] as [string, Revision]))
  const text = 'x'.repeat(sizeBytes)
  const delay = monitorEventLoopDelay({ resolution: 1 })
  const latencies: number[] = []
  let next = 0
  const start = performance.now()
  const end = start + seconds * 1000
  delay.enable()
  const write = async () => {
    for (let now = performance.now(); now < end; ) {
      const key = `/bench/pods/default/pod-${next++ % KEYS}`
      const revision = revisions.get(key)
      const result = await store.commit({ key, expect: revision === undefined ? { absent: true } : { revision }, value: Buffer.from(text) })
      if (result.kind === 'conflict') throw new Error(`conflict at ${key}`)
      revisions.set(key, result.revision)
      const then = now
      now = performance.now()
      latencies.push(now - then)
    }
  }
  await Promise.all(Array.from({ length: writers }, write))
  delay.disable()
  const spanMs = performance.now() - start
  latencies.sort((a, b) => a - b)
  const at = (share: number) => (latencies[Math.floor((latencies.length - 1) * share)] ?? 0).toFixed(2)
  const rate = Math.round((latencies.length / spanMs) * 1000).toLocaleString('en')
  const stall = (delay.percentile(99) / 1e6 - 1).toFixed(1)
  const cpu = `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, max ${at(1)} ms; loop p99 ${stall} ms`
  console.log(`${name.padEnd(7)} ${String(writers).padStart(4)} writers: ${rate.padStart(9)} puts/s; ${cpu}`)
}

const folder = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-bench-'))
try {
  for (const writers of [1, 128]) {
    await using store = openMemoryStore({}, { clock: systemClock })
    await measure('memory', store, writers)
  }
  for (const writers of [1, 128, 1024]) {
    await using store = await openSqliteStore({ folder }, { clock: systemClock })
    await measure('sqlite', store, writers)
  }
  const start = performance.now()
  await using store = await openSqliteStore({ folder }, { clock: systemClock })
  const { entries } = await store.range('')
  const spanMs = (performance.now() - start).toFixed(0)
  const file = (statSync(path.join(folder, 'store.db')).size / 2 ** 20).toFixed(0)
  console.log(`open with ${entries.length} keys and ${store.revision - store.compacted} past revisions: ${spanMs} ms; file ${file} MiB`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
