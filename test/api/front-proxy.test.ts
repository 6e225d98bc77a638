import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import https from 'node:https'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { systemClock } from '../../src/base/clock.ts'
import { openCertificates } from '../../src/cluster/certificates.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'

test('only a front proxy with its certificate can name users', async () => {
  const dataDir = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-front-proxy-'))
  try {
    await using cluster = await startCluster({ parts: ['server'], dataDir })
    const address = await cluster.listen()
    const certificates = openCertificates(
      { folder: path.join(dataDir, 'certificates'), serviceCidr: '10.0.0.0/24' },
      { clock: systemClock },
    )
    const who = (pair: { readonly certificate: string; readonly key: string } | undefined) =>
      new Promise<string>((resolve, reject) => {
        const request = https.request(`${address}/apis/authentication.k8s.io/v1/selfsubjectreviews`, {
          method: 'POST',
          agent: false,
          ca: certificates.ca.certificate,
          ...(pair && { cert: pair.certificate, key: pair.key }),
          headers: {
            'content-type': 'application/json',
            'x-remote-user': 'zoe',
            'x-remote-group': ['a', ' b '],
            'x-remote-extra-scopes': 's',
          },
        })
        request.on('response', async (response) => {
          let text = ''
          for await (const part of response) text += String(part)
          const userInfo = JSON.parse(text).status.userInfo ?? {}
          resolve(
            response.statusCode === 201
              ? `${userInfo.username}: ${userInfo.groups} ${JSON.stringify(userInfo.extra)}`
              : `${response.statusCode}`,
          )
        })
        request.on('error', reject)
        request.end('{"apiVersion":"authentication.k8s.io/v1","kind":"SelfSubjectReview"}')
      })
    assert.equal(await who(certificates.frontProxyClient()), 'zoe: a,b,system:authenticated {"scopes":["s"]}')
    assert.equal(await who(undefined), '403')
    assert.match(await who(certificates.client({ commonName: 'ann', organizations: [] })), /^ann: /)
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
})
