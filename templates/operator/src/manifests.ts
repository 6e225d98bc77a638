import { operatorManifests } from 'bowsprit/sdk'
import { gadgets } from './controller.ts'
import { Gadget } from './kind.ts'

// JSON is YAML: `npm run -s manifests | kubectl apply -f -`. The permissions are those that the controllers need, and no more.
const items = [
  Gadget.definition(),
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'PROJECT_NAME' } },
  ...operatorManifests({
    name: 'PROJECT_NAME',
    namespace: 'PROJECT_NAME',
    image: process.env.IMAGE ?? 'PROJECT_NAME:0.1.0',
    controllers: [gadgets],
  }),
]
console.log(JSON.stringify({ apiVersion: 'v1', kind: 'List', items }, null, 2))
