/**
 * The API server of `border-threads.ts`: `node bench/border-server.ts THREADS FOLDER` writes FOLDER/kubeconfig, and FOLDER/ports with the
 * ports of its border threads as JSON. Each of those does TLS and HTTP/2 in a worker, and passes a GET to the API server's thread over the
 * link that controllers and nodes use; no other request, no other user than the administrator.
 */
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { Worker } from 'node:worker_threads'
import { createClusterAccess } from '../src/cluster/cluster-access.ts'
import { createClusterPort } from '../src/cluster/cluster-port.ts'
import { createNodeSide } from '../src/cluster/create-node-side.ts'
import { openClusterServer } from '../src/cluster/open-cluster-server.ts'
import { openFoundation } from '../src/cluster/open-foundation.ts'
import { readSetup } from '../src/cluster/read-setup.ts'
import { noReports } from '../src/server/reports/part-reports.ts'
import { Link } from '../src/threads/link.ts'

const [threads = '0', folder = '.'] = process.argv.slice(2)
const setup = await readSetup({ ephemeral: true, parts: ['server'], nodes: 0, port: 0, kubeconfig: path.join(folder, 'kubeconfig') }, {})
const foundation = await openFoundation(setup)
const { access, connect } = createClusterAccess()
const nodeSide = await createNodeSide(setup, foundation, access)
const { server } = await openClusterServer(setup, foundation, nodeSide, noReports())
connect(server)
const { certificates } = foundation
await createClusterPort(setup.config, { server, certificates, kubeconfigLater: false }).listen()

const ports = await Promise.all(
  Array.from({ length: Number(threads) }, async (_, i) => {
    const worker = new Worker(path.join(import.meta.dirname, 'border-worker.ts'), {
      name: `border-${i + 1}`,
      workerData: { key: certificates.serving.key, cert: certificates.serving.certificate, ca: certificates.ca.certificate },
    })
    const port = await new Promise<number>((resolve) => worker.once('message', resolve))
    new Link(worker, access.services())
    return port
  }),
)
writeFileSync(path.join(folder, 'ports'), JSON.stringify(ports))
