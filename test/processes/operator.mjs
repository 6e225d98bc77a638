/** A small operator, as a program of its own: it holds a lease, then writes what it finds in ConfigMaps labelled `doubled` twice. */
import { readFileSync } from 'node:fs'
import https from 'node:https'

const folder = '/var/run/secrets/kubernetes.io/serviceaccount'
const ca = readFileSync(`${folder}/ca.crt`)
const namespace = readFileSync(`${folder}/namespace`, 'utf8')
const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port, POD_NAME: me } = process.env

function call(method, path, body, type = 'application/json') {
  const headers = { authorization: `Bearer ${readFileSync(`${folder}/token`, 'utf8')}`, 'content-type': type }
  return new Promise((resolve, reject) => {
    const request = https.request({ host, port, ca, method, path, headers, agent: false }, async (response) => {
      response.setEncoding('utf8')
      let text = ''
      for await (const part of response) text += part
      resolve({ status: response.statusCode, object: JSON.parse(text) })
    })
    request.on('error', reject).end(body && JSON.stringify(body))
  })
}

const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'operator' }, spec: { holderIdentity: me } }
const { status } = await call('POST', `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`, lease)
console.log(status === 201 ? `${me} is the leader` : `no lease: ${status}`)
console.log('args', process.argv.slice(2).join(' '))

process.on('SIGTERM', () => {
  console.log('stopping')
  process.exit(0)
})

const maps = `/api/v1/namespaces/${namespace}/configmaps`
const timer = setInterval(async () => {
  const { object } = await call('GET', `${maps}?labelSelector=doubled`)
  for (const { metadata, data } of object.items) {
    if (data.twice !== undefined) continue
    const patch = { data: { twice: String(2 * Number(data.once)) } }
    await call('PATCH', `${maps}/${metadata.name}`, patch, 'application/merge-patch+json')
    console.log(`reconciled ${metadata.name}`)
  }
}, 100)
timer.ref()
