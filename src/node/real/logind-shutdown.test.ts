import assert from 'node:assert/strict'
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { systemClock } from '../../base/clock.ts'
import { silentLogger } from '../../base/logger.ts'
import { waitFor } from '../../testing/wait-for.ts'
import { LogindShutdown, shutdownIn } from './logind-shutdown.ts'

/** As `busctl` of systemd 257 prints it. */
const signalOf = (down: boolean) =>
  `{"type":"signal","endian":"l","flags":1,"version":1,"cookie":7,"sender":":1.2","path":"/org/freedesktop/login1","interface":"org.freedesktop.login1.Manager","member":"PrepareForShutdown","payload":{"type":"b","data":[${down}]}}`

test('only the signal of a shutdown, or of its cancellation, is one', () => {
  assert.deepEqual(
    [true, false].map((down) => shutdownIn(signalOf(down))),
    [true, false],
  )
  assert.equal(shutdownIn('Monitoring bus message stream.'), undefined)
  assert.equal(shutdownIn('{"type":"signal","member":"PrepareForSleep","payload":{"type":"b","data":[true]}}'), undefined)
})

/** Systemd's programs: what each of them was asked is in the file `asked`, what `busctl monitor` prints comes from the file `signals`. */
function fakePrograms(folder: string): void {
  const programs = {
    busctl: `case "$*" in *get-property*) echo "t 5000000";; *) exec tail -n +1 -F ${folder}/signals;; esac`,
    systemctl: `echo "systemctl $*" >> ${folder}/asked`,
    'systemd-inhibit': `trap 'echo unlocked >> ${folder}/asked; exit' TERM; echo locked >> ${folder}/asked; while :; do sleep 0.1; done`,
  }
  for (const [name, script] of Object.entries(programs)) {
    writeFileSync(path.join(folder, name), `#!/bin/sh\n${script}\n`)
    chmodSync(path.join(folder, name), 0o755)
  }
  for (const name of ['asked', 'signals']) writeFileSync(path.join(folder, name), '')
}

test('logind waits as long as the pods need, and no longer; after a cancellation it waits again', async (t) => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-logind-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  fakePrograms(folder)
  const configFolder = path.join(folder, 'logind.conf.d')
  const env = { ...process.env, PATH: `${folder}:${process.env.PATH}` }
  const watch = new LogindShutdown({ seconds: 30, clock: systemClock, log: silentLogger, configFolder, env })
  const stop = new AbortController()
  const seen: boolean[] = []
  const running = watch.run(() => seen.push(watch.isDown()), stop.signal)
  const asked = () => readFileSync(path.join(folder, 'asked'), 'utf8').trim().split('\n')
  await waitFor(() => asked().includes('locked'))
  assert.deepEqual(readdirSync(configFolder), ['99-bowsprit.conf'])
  assert.equal(readFileSync(path.join(configFolder, '99-bowsprit.conf'), 'utf8'), '[Login]\nInhibitDelayMaxSec=30\n')
  assert.equal(asked()[0], 'systemctl reload systemd-logind.service')
  writeFileSync(path.join(folder, 'signals'), `${signalOf(true)}\n`, { flag: 'a' })
  await waitFor(() => seen.length === 1)
  watch.ended()
  await waitFor(() => asked().at(-1) === 'unlocked')
  writeFileSync(path.join(folder, 'signals'), `${signalOf(false)}\n`, { flag: 'a' })
  await waitFor(() => asked().at(-1) === 'locked')
  assert.deepEqual(seen, [true, false])
  stop.abort()
  await running
  await waitFor(() => asked().at(-1) === 'unlocked')
})
