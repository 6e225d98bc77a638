import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { folderOf } from '../../../cli/run-command.double.ts'
import { kubeconfigIn, programBehind } from './program-files.ts'

test('a program finds the API server, and the certificate of its webhooks where controller-runtime looks for it', (t) => {
  const at = folderOf(t, {})
  const [folder, certs] = [at('own'), at('certs')]
  for (const each of [folder, certs]) mkdirSync(each)
  writeFileSync(path.join(certs, 'tls.crt'), 'a certificate')
  const proxy = { address: 'https://127.0.0.1:1234', ca: 'an authority' }
  const { env } = programBehind({ command: ['./manager'], env: { LEVEL: 'debug' } }, { folder, proxy, certs })
  assert.deepEqual(env, { TMPDIR: folder, LEVEL: 'debug' })
  const certificate = path.join(env?.TMPDIR ?? '', 'k8s-webhook-server', 'serving-certs', 'tls.crt')
  assert.equal(readFileSync(certificate, 'utf8'), 'a certificate')
  assert.match(readFileSync(kubeconfigIn(folder), 'utf8'), /https:\/\/127\.0\.0\.1:1234/)
})
