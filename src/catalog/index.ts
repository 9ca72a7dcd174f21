export { type CatalogSources, renderCatalog, serviceTemplateName } from './render.ts';
