import { startEtcd } from './start-etcd.ts'

await startEtcd(process.argv.slice(2))
