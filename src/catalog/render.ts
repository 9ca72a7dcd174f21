import { CHART_NAME, type ChartFile, fill } from '../chart/index.ts';

/** Everything that a catalogue entry is made of. */
export interface CatalogSources {
  /** Of the chart, for example `0.3.0`. */
  readonly version: string;
  /** The aicr release that the chart's defaults install. */
  readonly aicrVersion: string;
  /** The files of catalog-templates. */
  readonly templates: readonly ChartFile[];
}

/**
 * Name of the ServiceTemplate of a chart's version, as k0rdent's catalogue forms it; what else a version may hold and a
 * name may not becomes a dash, too: `0.4.0-rc.1` gives `nvidia-aicr-0-4-0-rc-1`.
 */
export const serviceTemplateName = (version: string): string =>
  `${CHART_NAME}-${version.toLowerCase().replaceAll(/[^a-z0-9]/g, '-')}`;

/**
 * Renders the entry for k0rdent's catalogue, `apps/aicr`, and beside it the ServiceTemplate for those who do without the
 * catalogue. Names of files are templates, too.
 * @throws TemplateError
 */
export const renderCatalog = ({ version, aicrVersion, templates }: CatalogSources): readonly ChartFile[] => {
  const context = { chartVersion: version, aicrVersion, serviceTemplate: serviceTemplateName(version) };
  return templates.map((file) => {
    const path = fill(file.path, file.path, context);
    if (!path.endsWith('.hbs')) return { path, data: file.data };
    const text = fill(file.path, new TextDecoder().decode(file.data), context);
    return { path: path.slice(0, -'.hbs'.length), data: new TextEncoder().encode(text) };
  });
};
