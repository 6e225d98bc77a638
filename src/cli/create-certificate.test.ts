import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { createCommand } from './create.ts'
import { folderOf, runCommand } from './run-command.double.ts'

test('a certificate is good for this machine and the named hosts, and signed by the caBundle', async (t) => {
  const at = folderOf(t)
  const { code, out } = await runCommand(createCommand(), 'certificate', at('new/keys'), '--host', 'hook.test', '--host', '192.0.2.7')
  assert.equal(code, 0)
  const bundle = Buffer.from(/^caBundle: (\S+)\n$/.exec(out)?.[1] ?? '', 'base64')
  const certificate = new X509Certificate(readFileSync(at('new/keys/tls.crt')))
  assert.ok(certificate.checkIssued(new X509Certificate(bundle)))
  assert.equal(readFileSync(at('new/keys/ca.crt'), 'utf8'), bundle.toString())
  for (const name of ['localhost', 'hook.test']) assert.equal(certificate.checkHost(name), name)
  for (const ip of ['127.0.0.1', '192.0.2.7']) assert.equal(certificate.checkIP(ip), ip)
})

test('files that exist are kept, and nothing is written beside them', async (t) => {
  const at = folderOf(t, { 'tls.key': 'mine' })
  const { code, err } = await runCommand(createCommand(), 'certificate', at(''))
  assert.equal(code, 2)
  assert.match(err, /^bowsprit create certificate: folder: .*tls\.key exists already: name another folder, or remove it\n$/)
  assert.deepEqual([readFileSync(at('tls.key'), 'utf8'), existsSync(at('tls.crt'))], ['mine', false])
})
