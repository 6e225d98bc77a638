import https from 'node:https'
import { text } from 'node:stream/consumers'
import type { Cluster } from '../../src/cluster/cluster.ts'

/** A page of the cluster's API server as text, over HTTPS; `accept`: the types that are asked for. */
export async function pageText(cluster: Pick<Cluster, 'listen' | 'kubeconfig'>, at: string, accept = '*/*'): Promise<string> {
  const address = await cluster.listen()
  const kubeconfig = cluster.kubeconfig()
  const data = (name: string) => Buffer.from(new RegExp(`${name}-data: (\\S+)`).exec(kubeconfig)?.[1] ?? '', 'base64')
  const tls = {
    ca: data('certificate-authority'),
    cert: data('client-certificate'),
    key: data('client-key'),
    agent: false,
    headers: { accept },
  }
  return new Promise((resolve, reject) => {
    https.get(`${address}${at}`, tls, (response) => void text(response).then(resolve, reject)).on('error', reject)
  })
}
