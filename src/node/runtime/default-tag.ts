/** The name of an image as runtimes are asked for it: a name without tag and digest means the tag `latest`. */
export function withDefaultTag(image: string): string {
  const name = image.slice(image.lastIndexOf('/') + 1)
  return name.includes(':') || name.includes('@') ? image : `${image}:latest`
}
