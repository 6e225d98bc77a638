import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { VirtualClock } from '../../src/base/clock.ts'
import { openCertificates } from '../../src/cluster/certificates.ts'

const program = path.join(import.meta.dirname, '..', '..', 'bench', 'virtual-day.ts')

test('the same seed gives the same hours, to the byte, in two processes; another seed gives others', async () => {
  const keys = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-day-'))
  try {
    openCertificates({ folder: keys, serviceCidr: '10.0.0.0/24' }, { clock: new VirtualClock() })
    const live = async (seed: number) => {
      const args = ['--disable-warning=ExperimentalWarning', program, '--nodes', '10', '--hours', '4', '--keys', keys, '--seed', `${seed}`]
      const { stdout } = await promisify(execFile)(process.execPath, args)
      const { late, revision, objects, sha256 } = JSON.parse(stdout)
      assert.deepEqual(late, [])
      assert.ok(revision > 1000 && objects > 100)
      return { revision, objects, sha256 }
    }
    const [one, two, other] = await Promise.all([live(1), live(1), live(2)])
    assert.deepEqual(two, one)
    assert.notEqual(other.sha256, one.sha256)
  } finally {
    rmSync(keys, { recursive: true })
  }
})
