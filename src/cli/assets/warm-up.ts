import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { get as httpGet } from 'node:http'
import { request as httpsRequest } from 'node:https'
import os from 'node:os'
import path from 'node:path'
import { systemClock } from '../../base/clock.ts'
import { openPortEarly } from '../../base/opened-port.ts'
import { quietErrors } from '../../base/quiet.ts'
import { openCertificates } from '../../cluster/certificates.ts'

/** How often to check whether a program is ready, with a pause between. */
const TRIES = 500
const PAUSE_MS = 20

/**
 * Starts the programs once, and sends them the usual requests of a suite: the code that ran is cached in compiled form beside the programs,
 * so that later starts are fast. A failure here is harmless.
 */
export async function warmUp(assets: string): Promise<void> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-assets-'))
  const started: ChildProcess[] = []
  try {
    const [etcdPort, port] = [await freePort(), await freePort()]
    const env = { ...process.env, BOWSPRIT_WARMING: '1', BOWSPRIT_PARTS: '' }
    const start = (name: string, ...words: string[]) => {
      const child = spawn(path.join(assets, name), words, { cwd: folder, env, stdio: 'ignore' })
      quietErrors(child, 'a program that cannot be started is not warmed up')
      started.push(child)
      return child
    }
    const url = `http://127.0.0.1:${etcdPort}`
    start(
      'etcd',
      `--data-dir=${folder}/data`,
      `--listen-client-urls=${url}`,
      `--advertise-client-urls=${url}`,
      '--listen-peer-urls=http://127.0.0.1:0',
      '--unsafe-no-fsync=true',
    )
    await answers(() => etcdHealth(etcdPort))
    start('kube-apiserver', ...serverWords(folder, etcdPort, port))
    const ask = asker(port)
    await answers(() => ask('GET', '/healthz'))
    await usualQuestions(ask)
  } catch {
    // The programs are complete all the same; their first start is slower.
  } finally {
    for (const child of started.reverse()) await ended(child)
    rmSync(folder, { recursive: true, force: true })
  }
}

type Ask = (method: string, url: string, body?: unknown) => Promise<number>

async function usualQuestions(ask: Ask): Promise<void> {
  const maps = '/api/v1/namespaces/default/configmaps'
  const named = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'warm' } }
  for (const [method, url, body] of [
    ['GET', '/api'],
    ['GET', '/apis'],
    ['GET', '/api/v1'],
    ['GET', '/api/v1/namespaces/default'],
    ['POST', maps, named],
    ['PUT', `${maps}/warm`, { ...named, data: { a: 'b' } }],
    ['PATCH', `${maps}/warm`, { data: { a: 'c' } }],
    ['GET', maps],
    ['GET', `${maps}?watch=1&timeoutSeconds=1&resourceVersion=0`],
    ['DELETE', `${maps}/warm`],
  ] as const)
    await ask(method, url, body)
}

function serverWords(folder: string, etcdPort: number, port: number): string[] {
  const { serviceAccount, serving } = openCertificates({ folder: undefined, serviceCidr: '10.0.0.0/24' }, { clock: systemClock })
  writeFileSync(path.join(folder, 'apiserver.crt'), serving.certificate)
  writeFileSync(path.join(folder, 'apiserver.key'), serving.key, { mode: 0o600 })
  writeFileSync(path.join(folder, 'sa.key'), serviceAccount.privateKey, { mode: 0o600 })
  writeFileSync(path.join(folder, 'tokens.csv'), `${TOKEN},admin,admin,"system:masters"\n`, { mode: 0o600 })
  return [
    '--bind-address=127.0.0.1',
    `--cert-dir=${folder}`,
    `--etcd-servers=http://127.0.0.1:${etcdPort}`,
    `--secure-port=${port}`,
    '--authorization-mode=RBAC',
    '--disable-admission-plugins=ServiceAccount',
    '--service-account-issuer=https://127.0.0.1/',
    `--service-account-key-file=${folder}/sa.key`,
    `--service-account-signing-key-file=${folder}/sa.key`,
    '--service-cluster-ip-range=10.0.0.0/24',
    `--token-auth-file=${folder}/tokens.csv`,
  ]
}

/** The token of a server that runs for a second, on loopback only. */
const TOKEN = 'warm'

const asker =
  (port: number): Ask =>
  (method, url, body) =>
    new Promise((resolve, reject) => {
      const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
      const request = httpsRequest(
        {
          host: '127.0.0.1',
          port,
          path: url,
          method,
          rejectUnauthorized: false,
          agent: false,
          headers: { authorization: `Bearer ${TOKEN}`, 'content-type': type },
        },
        (answer) => answer.resume().on('end', () => resolve(answer.statusCode ?? 0)),
      )
      request.on('error', reject).end(body === undefined ? undefined : JSON.stringify(body))
    })

const etcdHealth = (port: number): Promise<number> =>
  new Promise((resolve, reject) => {
    httpGet({ host: '127.0.0.1', port, path: '/health', agent: false }, (answer) =>
      answer.resume().on('end', () => resolve(answer.statusCode ?? 0)),
    ).on('error', reject)
  })

async function answers(ask: () => Promise<number>): Promise<void> {
  for (let i = 0; i < TRIES; i++) {
    if ((await ask().catch(() => 0)) === 200) return
    await systemClock.sleep(PAUSE_MS)
  }
  throw new Error('it does not answer')
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'exit')
  child.kill('SIGTERM')
  await gone
}

async function freePort(): Promise<number> {
  const { server } = await openPortEarly({ host: '127.0.0.1', port: 0 })
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return typeof address === 'object' && address !== null ? address.port : 0
}
