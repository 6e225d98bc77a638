/** An operator as a module, as `bowsprit test-operator --module` loads it: a crash between its two secrets is a fault. */
import { crashBetweenSecrets } from './stand-ins/crash-between-secrets.ts'

export default crashBetweenSecrets(false)
