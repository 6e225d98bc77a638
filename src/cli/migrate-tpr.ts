import { Command } from 'commander'
import { migrateThirdParty } from '../tools/migrate-third-party.ts'
import { type KubeconfigFlags, withClusterOptions } from './kubeconfig-file.ts'
import { several, word } from './option-values.ts'
import { withClient } from './with-client.ts'

/** `bowsprit migrate-tpr`: converts a ThirdPartyResource to a CustomResourceDefinition that keeps its objects. */
export function migrateTprCommand(): Command {
  return withClusterOptions(
    new Command('migrate-tpr')
      .description('convert ThirdPartyResources of Kubernetes 1.2 to 1.7 into CustomResourceDefinitions, and keep their objects')
      .argument('<name...>', 'the names of the ThirdPartyResources: cron-tab.stable.example.com', several(word)),
  ).action((names: string[], flags: KubeconfigFlags) =>
    withClient('migrate-tpr', flags, async (client) => {
      for (const name of names) {
        const { definition, objects } = await migrateThirdParty(client, name)
        console.log(
          `${name} is customresourcedefinition.apiextensions.k8s.io/${definition} now, with ${objects} ${objects === 1 ? 'object' : 'objects'}`,
        )
      }
    }),
  )
}
