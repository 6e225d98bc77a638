import https from 'node:https'
import type { Cluster } from '../../src/cluster/cluster.ts'

/** Sends a request to the API server as admin. */
export async function ask(cluster: Cluster, path: string, { method = 'GET', body = '' } = {}) {
  const address = await cluster.listen()
  const pem = (name: string) => Buffer.from(new RegExp(`${name}: (\\S+)`).exec(cluster.kubeconfig())?.[1] ?? '', 'base64').toString()
  const tls = { ca: pem('certificate-authority-data'), cert: pem('client-certificate-data'), key: pem('client-key-data') }
  return new Promise<{ code: number; headers: Record<string, unknown>; body: string }>((resolve, reject) => {
    const request = https.request(`${address}${path}`, { ...tls, method, agent: false }, (answer) => {
      let text = ''
      answer.on('data', (part) => {
        text += part
      })
      answer.on('end', () => resolve({ code: answer.statusCode ?? 0, headers: answer.headers, body: text }))
      answer.on('error', reject)
    })
    request.on('error', reject)
    request.end(body)
  })
}
