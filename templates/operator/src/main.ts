import { runOperator } from 'bowsprit/sdk'
import { gadgets } from './controller.ts'
import { Gadget } from './kind.ts'

// KUBECONFIG, the pod's service account, or ~/.kube/config.
await runOperator({
  controllers: [gadgets],
  // In a cluster where the operator may not do this, apply what `npm run manifests` prints.
  install: process.env.INSTALL === 'no' ? [] : [Gadget],
  endpoints: { host: process.env.HOST ?? '127.0.0.1', healthPort: 8081, metricsPort: 8080 },
})
