/** A cluster with a process, for a test that kills it. Prints a line when the process runs. */
import { systemClock } from '../../src/base/clock.ts'
import { pod } from '../../src/testing/builders.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'
import { waitFor } from '../../src/testing/wait-for.ts'
import { podsOf } from '../programs/pods.ts'

const cluster = await startCluster({ images: { 'shell:dev': { command: ['sh', '-c'] } } })
const pods = podsOf(cluster.client(), systemClock)
const script = `trap '' TERM; setsid sh -c 'trap "" TERM HUP; : ${process.argv[2]}; while :; do sleep 1; done' & echo up; wait`
await pods.create(pod('script', { spec: { containers: [{ name: 'main', image: 'shell:dev', args: [script] }] } }))
await waitFor(async () => (await pods.logs('script')) === 'up\n')
console.log('up')
