/** What a publisher does with the files: the commands are run in their folder, after `sha256sum -c SHA256SUMS`. */
export const publishingPage = (version: string): string => `# Publishing ${version}

| what | command |
|---|---|
| npm | \`npm publish npm/bowsprit-${version}.tgz\`, then \`npm publish npm/create-bowsprit-operator-${version}.tgz\`, in a CI job with an OIDC token: provenance is on |
| PyPI | \`twine upload python/*\` |
| Maven Central | sign each file of \`maven/\` (\`gpg -ab\`), zip the folder, and upload the zip at https://central.sonatype.com |
| Go | \`git push origin packages/go/v${version}\`; or serve \`go/\` as files: \`<meta name="go-import" content="bowsprit.dev/bowsprittest mod https://…/go">\` |
| image | \`skopeo copy oci:oci:${version} docker://REGISTRY/bowsprit:${version}\` |
| executables | attach \`executables/*\` and \`SHA256SUMS\` to the release of the tag \`v${version}\` |
`
