import { runOperator } from 'bowsprit/sdk'
import { databases } from './controller.ts'
import { SampleDB } from './kind.ts'

await runOperator({
  controllers: [databases],
  install: [SampleDB],
  reports: true,
  leaderElection: { lease: { namespace: process.env.POD_NAMESPACE ?? 'default', name: 'sampledb-operator' } },
  endpoints: {
    host: process.env.HOST ?? '127.0.0.1',
    healthPort: Number(process.env.HEALTH_PORT ?? 8081),
    metricsPort: Number(process.env.METRICS_PORT ?? 8080),
  },
})
