<?php

declare(strict_types=1);

namespace Shop;

use Symfony\Component\HttpFoundation\Response;
use Twig\Environment;

/** The list of articles. */
final class ArticlePage
{
    public function __construct(
        private readonly Articles $articles,
        private readonly Environment $twig,
        private readonly PageCache $cache,
        private readonly string $fault,
    ) {
    }

    public function list(): Response
    {
        $articles = $this->fault === 'n+1' ? $this->oneByOne() : $this->articles->all();
        $template = $this->fault === 'template' ? 'slow.html.twig' : 'list.html.twig';
        $body = $this->twig->render($template, ['articles' => $articles]);
        $this->cache->keep($body);
        return new Response($body);
    }

    /**
     * The fault: a statement for each article.
     *
     * @return list<array<string, mixed>>
     */
    private function oneByOne(): array
    {
        $articles = [];
        foreach ($this->articles->ids() as $id) {
            $articles[] = $this->articles->find($id);
        }
        return $articles;
    }
}
